"""The base class of cost models, and costs of ops and copies that come from profiles (measured times) instead."""

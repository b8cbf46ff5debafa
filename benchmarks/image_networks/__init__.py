"""Image networks planned on machines with PIM, beside what PIMFlow publishes."""

"""Plans of image networks on machines with PIM, compared with PIMFlow's published figures."""

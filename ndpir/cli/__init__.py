"""The commands: ndp-opt, ndp-profile, ndp-calibrate and ndp-sweep, their flags, streams and exit statuses."""

"""Plans that cut ops: parts for several devices, and stages that overlap."""

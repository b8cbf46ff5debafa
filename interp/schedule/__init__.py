"""When everything happens: jobs on resources, arbitration, memory and the timeline."""

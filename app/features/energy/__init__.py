"""Energy: what answers take, measured, estimated by what the operator declares, or not known."""

"""What answers take of energy: measured, estimated by what the operator declares, or not known."""

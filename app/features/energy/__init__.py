"""The energy that answers use: measured, estimated from what the operator declares, or unknown."""

"""Traces: how long the parts of questions and of indexing take, sent by OpenTelemetry's protocol."""

"""Traces: the durations of parts of questions and indexing, sent by OpenTelemetry's protocol."""

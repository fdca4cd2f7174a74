// Telemetry: in the making.

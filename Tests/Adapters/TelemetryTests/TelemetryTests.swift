// TelemetryTests: in the making.

// DigestTests: in the making.

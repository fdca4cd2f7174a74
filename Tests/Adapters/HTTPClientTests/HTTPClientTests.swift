// HTTPClientTests: in the making.

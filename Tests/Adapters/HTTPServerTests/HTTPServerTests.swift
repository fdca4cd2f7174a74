// HTTPServerTests: in the making.

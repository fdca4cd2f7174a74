// HTTPClient: in the making.

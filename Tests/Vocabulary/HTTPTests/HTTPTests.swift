// HTTPTests: in the making.

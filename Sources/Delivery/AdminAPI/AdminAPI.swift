// AdminAPI: in the making.

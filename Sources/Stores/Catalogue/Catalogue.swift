// Catalogue: in the making.

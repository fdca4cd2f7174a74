// CatalogueTests: in the making.

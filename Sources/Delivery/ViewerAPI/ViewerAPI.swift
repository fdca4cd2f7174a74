// ViewerAPI: in the making.

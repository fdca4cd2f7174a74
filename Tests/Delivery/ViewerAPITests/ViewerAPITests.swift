// ViewerAPITests: in the making.

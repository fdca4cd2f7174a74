// AdminAPITests: in the making.

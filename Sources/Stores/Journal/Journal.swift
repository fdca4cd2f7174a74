// Journal: in the making.

// Timeline: in the making.

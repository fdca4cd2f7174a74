// HTTPServer: in the making.

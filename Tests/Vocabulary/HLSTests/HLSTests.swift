// HLSTests: in the making.

// MediaFormatTests: in the making.

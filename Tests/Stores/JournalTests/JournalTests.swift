// JournalTests: in the making.

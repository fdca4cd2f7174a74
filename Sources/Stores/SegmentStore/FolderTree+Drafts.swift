import Files

extension FolderTree {
    /// The folder of temporary files.
    var drafts: String { path(of: ".drafts") }

    /// Removes the drafts of files that are to be deleted, those of all processes, durably: the next opening
    /// would give the files their names again.
    ///
    /// `isDeleted` is asked for paths below the root.
    func removeDrafts(of isDeleted: (String) -> Bool) throws(StoreError) {
        var isChanged = false
        for name in try disk.list(drafts) {
            guard let path = DraftFolder.committedPath(in: name), isDeleted(path) else { continue }
            if try disk.remove("\(drafts)/\(name)") { isChanged = true }
        }
        if isChanged { try disk.syncFolder(drafts) }
    }
}

import Glibc

/// A folder being listed.
@safe struct FolderHandle: ~Copyable {
    private let stream: OpaquePointer
    private let path: String

    private init(owning stream: OpaquePointer, path: String) {
        unsafe self.stream = stream
        self.path = path
    }

    deinit {
        unsafe closedir(stream)
    }

    /// Nil when there is no such folder.
    static func open(_ path: String) throws(StoreError) -> FolderHandle? {
        let stream = unsafe opendir(path)
        let number = errno
        if let stream = unsafe stream { return unsafe FolderHandle(owning: stream, path: path) }
        guard number == ENOENT else { throw StoreError(.list, path, number: number) }
        return nil
    }

    /// The next name, without the folder itself and its parent; nil at the end.
    func next() throws(StoreError) -> String? {
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let number = errno
                if number != 0 { throw StoreError(.list, path, number: number) }
                return nil
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { return name }
        }
    }
}

extension Disk {
    /// The names in a folder; none when there is no such folder.
    func list(_ path: String) throws(StoreError) -> [String] {
        try check(.list, path)
        guard let folder = try FolderHandle.open(path) else { return [] }
        var names: [String] = []
        while let name = try folder.next() { names.append(name) }
        return names
    }
}

import Glibc

/// A folder that is being listed.
@safe struct FolderHandle<Failure: FileFailure>: ~Copyable {
    private let stream: OpaquePointer
    private let path: String

    private init(owning stream: OpaquePointer, path: String) {
        unsafe self.stream = stream
        self.path = path
    }

    deinit {
        unsafe closedir(stream)
    }

    /// Nil when the folder does not exist.
    static func open(_ path: String) throws(Failure) -> FolderHandle? {
        let stream = unsafe opendir(path)
        let number = errno
        if let stream = unsafe stream { return unsafe FolderHandle(owning: stream, path: path) }
        guard number == ENOENT else { throw Failure(.list, path, number: number) }
        return nil
    }

    /// The next name, without the folder itself and its parent; nil at the end.
    func next() throws(Failure) -> String? {
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let number = errno
                if number != 0 { throw Failure(.list, path, number: number) }
                return nil
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { return name }
        }
    }
}

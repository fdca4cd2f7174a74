import Files
import Glibc
import HTTP
import Timeline

/// An object opened for sending.
final class ArchiveFile: OpenFile {
    private let file: DescriptorHandle<StoreError>
    let byteCount: UInt64

    var descriptor: Int32 { file.number }

    init(_ file: consuming DescriptorHandle<StoreError>, byteCount: Int64) {
        self.file = file
        self.byteCount = UInt64(clamping: byteCount)
    }

    func read(at offset: Int64, upTo count: Int) throws(StoreError) -> [UInt8] {
        try file.read(at: offset, upTo: count)
    }
}

extension FolderTree {
    /// Opens an object.
    func open(_ key: ArchiveKey) throws(StoreError) -> ArchiveFile {
        do throws(StoreError) {
            let path = path(of: try key.checkedPath())
            let file = try disk.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError.notFound(key) }
            return ArchiveFile(file, byteCount: Int64(status.st_size))
        } catch .system(.open, _, let number) where number == ENOENT || number == ELOOP {
            throw .notFound(key)
        }
    }
}

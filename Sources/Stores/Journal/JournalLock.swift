import Files
import Glibc
import Synchronization

/// The lock of a journal's folder: two owners never write one journal.
final class JournalLock: Sendable {
    private let file: Mutex<DescriptorHandle<JournalError>?>

    private init(_ file: consuming DescriptorHandle<JournalError>) {
        self.file = Mutex(consume file)
    }

    static func take(in folder: String, disk: Disk<JournalError>) throws(JournalError) -> JournalLock {
        let file = try disk.open(folder + "/.lock", O_CREAT | O_RDWR, mode: 0o600)
        guard try file.tryLock() else { throw .inUse(folder: folder) }
        return JournalLock(file)
    }

    func release() {
        file.withLock { file in
            file?.unlock()
            file = nil
        }
    }
}

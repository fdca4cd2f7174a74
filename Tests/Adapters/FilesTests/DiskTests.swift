import Foundation
import Glibc
import TestSupport
import Testing

@testable import Files

@Suite("Calls to the file system")
struct DiskTests {
    let folder: TemporaryFolder
    let disk = Disk<Failure>()

    init() throws {
        folder = try TemporaryFolder("files")
    }

    @Test("What is written is read, whole or as much of it as is wanted")
    func writing() throws {
        let path = folder.path(of: "a")
        let file = try disk.open(path, O_CREAT | O_RDWR, mode: 0o600)
        try disk.write([1, 2, 3], to: file)
        try disk.write([4, 5], to: file)
        try disk.sync(file)
        #expect(try disk.read(path, upTo: 100) == [1, 2, 3, 4, 5])
        #expect(try disk.read(path, upTo: 2) == [1, 2])
        #expect(try file.read(at: 3, upTo: 100) == [4, 5])
        #expect(try file.read(at: 5, upTo: 100) == [])
        #expect(try file.status().st_size == 5)
        #expect(try disk.byteCount(of: path) == 5)
    }

    @Test("What is not there is no error to those who ask, list or remove")
    func absent() throws {
        let path = folder.path(of: "nothing")
        #expect(try disk.read(path, upTo: 1) == nil)
        #expect(try disk.byteCount(of: path) == nil)
        #expect(try disk.nameCount(of: path) == nil)
        #expect(try disk.list(path) == [])
        #expect(try disk.remove(path) == false)
        #expect(try disk.removeEmptyFolder(path))
        #expect(throws: Failure.system(.open, path: path, number: ENOENT)) {
            _ = try disk.open(path, O_RDONLY).number
        }
    }

    @Test("A second name never replaces a file")
    func linking() throws {
        try folder.write("old", to: "old")
        try folder.write("new", to: "new")
        let (old, new) = (folder.path(of: "old"), folder.path(of: "new"))
        #expect(try disk.nameCount(of: new) == 1)
        #expect(try disk.link(new, to: folder.path(of: "other")))
        #expect(try disk.nameCount(of: new) == 2)
        #expect(try disk.link(new, to: old) == false)
        #expect(try disk.read(old, upTo: 10) == Array("old".utf8))
        #expect(try disk.remove(new))
        #expect(try disk.read(folder.path(of: "other"), upTo: 10) == Array("new".utf8))
        #expect(throws: Failure.system(.link, path: old, number: ENOENT)) { try disk.link(new, to: old) }
    }

    @Test("Folders are made with those above them, listed, and removed when they are empty")
    func folders() throws {
        let path = try disk.makeFolders(folder.path(of: "a/b/c/"))
        #expect(path == folder.path(of: "a/b/c"))
        try disk.makeFolder(path)
        try disk.syncFolder(path)
        try folder.write("x", to: "a/b/c/file")
        #expect(try disk.list(path) == ["file"])
        #expect(try disk.removeEmptyFolder(path) == false)
        #expect(try disk.remove(path + "/file"))
        #expect(try disk.removeEmptyFolder(path))
        #expect(try disk.list(folder.path(of: "a/b")) == [])
        #expect(throws: Failure.system(.remove, path: folder.path(of: "a"), number: EISDIR)) {
            try disk.remove(folder.path(of: "a"))
        }
    }

    @Test("The mode is what was asked for, whatever the process's mask")
    func mode() throws {
        let file = try disk.open(folder.path(of: "a"), O_CREAT | O_RDWR, mode: 0o600)
        try disk.setMode(0o644, of: file)
        #expect(try file.status().st_mode & 0o777 == 0o644)
    }

    @Test("A lock is held by one descriptor, and goes with it")
    func locking() throws {
        let path = folder.path(of: "lock")
        do {
            let first = try disk.open(path, O_CREAT | O_RDWR, mode: 0o600)
            #expect(try first.tryLock())
            let second = try disk.open(path, O_RDWR)
            #expect(try second.tryLock() == false)
            #expect(first.number >= 0)
        }
        #expect(try disk.open(path, O_RDWR).tryLock())
    }

    @Test("A shared lock keeps out only those that want the lock for themselves")
    func sharedLocking() throws {
        let path = folder.path(of: "lock")
        let first = try disk.open(path, O_CREAT | O_RDWR, mode: 0o600)
        let second = try disk.open(path, O_RDWR)
        #expect(try first.tryLock(isShared: true) && second.tryLock(isShared: true))
        #expect(try second.tryLock() == false)
        second.unlock()
        first.unlock()
        #expect(try first.tryLock())
        #expect(try second.tryLock(isShared: true) == false)
    }

    @Test("A lock that was released is free, also while a child process still has the descriptor")
    func unlock() throws {
        let path = folder.path(of: "lock")
        let file = try disk.open(path, O_CREAT | O_RDWR, mode: 0o600)
        #expect(try file.tryLock())
        // What a fork leaves in the child until it starts its program.
        let copy = dup(file.number)
        defer { close(copy) }
        file.unlock()
        #expect(try disk.open(path, O_RDWR).tryLock())
    }

    @Test("A file that was just made is opened without waiting, with all flags")
    func atOnce() throws {
        let path = try folder.write("x", to: "a")
        guard let file = try disk.openWithoutBlocking(path, O_RDONLY) else { throw TestFailure("not opened") }
        #expect(try file.read(at: 0, upTo: 9) == Array("x".utf8))
        #expect(fcntl(file.number, F_GETFD) & FD_CLOEXEC != 0)
        let link = folder.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: Failure.system(.open, path: link, number: ELOOP)) {
            _ = try isOpenedAtOnce(link, by: disk)
        }
    }

    @Test(
        "What a kernel cannot open at once is not opened, other errors are told",
        arguments: [EAGAIN, ENOSYS, EINVAL, EPERM, ENOENT, EACCES])
    func notAtOnce(_ number: Int32) throws {
        let path = try folder.write("x", to: "a")
        let broken = Disk<Failure> { operation, _ in operation == .open ? number : nil }
        if number == ENOENT || number == EACCES {
            #expect(throws: Failure.system(.open, path: path, number: number)) {
                _ = try isOpenedAtOnce(path, by: broken)
            }
        } else {
            #expect(try isOpenedAtOnce(path, by: broken) == false)
        }
    }

    private func isOpenedAtOnce(_ path: String, by disk: Disk<Failure>) throws -> Bool {
        guard let file = try disk.openWithoutBlocking(path, O_RDONLY | O_NOFOLLOW) else { return false }
        return file.number >= 0
    }

    @Test("A descriptor is closed with its owner, and not inherited by children")
    func descriptors() throws {
        let path = folder.path(of: "a")
        do {
            let file = try disk.open(path, O_CREAT | O_RDWR, mode: 0o600)
            #expect(try openDescriptors(of: path) == 1)
            #expect(fcntl(file.number, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(try openDescriptors(of: path) == 0)
    }

    @Test("The room of a file system is told; no path has none")
    func space() throws {
        let space = try disk.space(at: folder.path)
        #expect(space.totalBytes > 0)
        #expect((0...space.totalBytes).contains(space.availableBytes))
        let path = folder.path(of: "nothing")
        #expect(throws: Failure.system(.measure, path: path, number: ENOENT)) { _ = try disk.space(at: path) }
    }

    @Test(
        "A fault stands for the call, and names what was done and where",
        arguments: [FileOperation.open, .write, .sync, .link, .list, .makeFolder, .remove])
    func faults(_ operation: FileOperation) throws {
        try folder.write("x", to: "there")
        let broken = Disk<Failure> { called, _ in called == operation ? EIO : nil }
        let path = folder.path(of: "there")
        let failure = #expect(throws: Failure.self) {
            switch operation {
            case .open: _ = try broken.open(path, O_RDONLY).number
            case .write: try broken.write([1], to: disk.open(path, O_WRONLY))
            case .sync: try broken.syncFolder(folder.path)
            case .link: _ = try broken.link(path, to: folder.path(of: "second"))
            case .list: _ = try broken.list(folder.path)
            case .makeFolder: try broken.makeFolder(folder.path(of: "folder"))
            default: try broken.remove(path)
            }
        }
        guard case .system(operation, _, EIO) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(try disk.list(folder.path) == ["there"])
        #expect(try disk.read(path, upTo: 10) == Array("x".utf8))
    }

    @Test("A full disk is an error of its own", arguments: [ENOSPC, EDQUOT])
    func full(_ number: Int32) throws {
        let disk = Disk<Failure> { operation, _ in operation == .makeFolder ? number : nil }
        let path = folder.path(of: "a")
        #expect(throws: Failure.diskFull(path: path)) { try disk.makeFolder(path) }
    }

    private func openDescriptors(of path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0 == path }.count
    }
}

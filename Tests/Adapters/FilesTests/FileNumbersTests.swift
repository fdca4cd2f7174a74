import Glibc
import Testing

@testable import Files

@Suite("Error numbers")
struct FileNumbersTests {
    @Test("A full disk and a full quota are the same thing", arguments: [ENOSPC, EDQUOT])
    func full(_ number: Int32) {
        #expect(FileNumbers.saysFull(number))
        #expect(!FileNumbers.saysFull(EIO))
    }

    @Test(
        "What passes may be tried again; what needs a person may not",
        arguments: [(EIO, true), (EMFILE, true), (ESTALE, true), (EACCES, false), (EROFS, false)])
    func transient(_ number: Int32, _ isTransient: Bool) {
        #expect(FileNumbers.isTransient(number) == isTransient)
        #expect(!FileNumbers.words(for: number).isEmpty)
    }
}

import Glibc
import Testing

@testable import Files

@Suite("Error numbers")
struct SystemErrorNumberTests {
    @Test("A full disk and a full quota are the same thing", arguments: [ENOSPC, EDQUOT])
    func full(_ number: Int32) {
        #expect(SystemErrorNumber.meansDiskFull(number))
        #expect(!SystemErrorNumber.meansDiskFull(EIO))
    }

    @Test(
        "What passes may be tried again; what needs a person may not",
        arguments: [(EIO, true), (EMFILE, true), (ESTALE, true), (EACCES, false), (EROFS, false)])
    func transient(_ number: Int32, _ isTransient: Bool) {
        #expect(SystemErrorNumber.isTransient(number) == isTransient)
        #expect(!SystemErrorNumber.message(for: number).isEmpty)
    }
}

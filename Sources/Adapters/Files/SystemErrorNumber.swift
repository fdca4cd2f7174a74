import Glibc

/// The system's message for an error number.
package enum SystemErrorNumber {
    package static func message(for number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }

    /// Whether the disk or the quota is full.
    static func meansDiskFull(_ number: Int32) -> Bool {
        number == ENOSPC || number == EDQUOT
    }

    /// Whether the same call can succeed later without a change.
    package static func isTransient(_ number: Int32) -> Bool {
        [EIO, EMFILE, ENFILE, ENOMEM, EAGAIN, ESTALE].contains(number)
    }
}

import Glibc

/// The system's error numbers in words.
package enum FileNumbers {
    package static func words(for number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }

    /// Whether no room is left, on the disk or in the quota.
    static func saysFull(_ number: Int32) -> Bool {
        number == ENOSPC || number == EDQUOT
    }

    /// Whether the same call can succeed later without anybody's help.
    package static func isTransient(_ number: Int32) -> Bool {
        [EIO, EMFILE, ENFILE, ENOMEM, EAGAIN, ESTALE].contains(number)
    }
}

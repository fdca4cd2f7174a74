/// Every bound of the module, with its unit and its reason.
enum Limits {
    /// Bytes that are kept of what a program says: its last words are the reason of its failure.
    static let wordBytes = 4096
    /// Bytes of dropped output that are read at once.
    static let droppedBytes = 16 * 1024
}

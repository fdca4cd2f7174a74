import Synchronization

/// A slot in which a server keeps the prepared form of an answer that it sends many times.
///
/// All answers with the same slot have the same status, header and content. Only what is small and in memory
/// is kept; of a larger file the slot keeps the header alone.
package final class PreparedResponseSlot: Sendable {
    /// Bytes of a content in pieces that a server joins to keep it; a larger one is not kept.
    package static let joinedBytes = 64 * 1024

    private let fields = Mutex<HTTPHeaders?>(nil)
    private let form = Mutex<(any AnyObject & Sendable)?>(nil)

    package init() {}

    /// The header of the answer, made the first time.
    package func header(_ make: () -> HTTPHeaders) -> HTTPHeaders {
        fields.withLock { fields in
            let header = fields ?? make()
            fields = header
            return header
        }
    }

    /// The form that was kept, made the first time; nil if there is none and `make` has none.
    package func form<Form: AnyObject & Sendable>(_ make: () -> Form?) -> Form? {
        form.withLock { form in
            if let kept = form as? Form { return kept }
            let made = make()
            form = made
            return made
        }
    }
}

import Synchronization

/// The multivariant playlists of a channel, without what depends on the window.
final class TemplateCache: Sendable {
    /// What determines how a rendition is written; `format` is nil if the window does not have it.
    struct Form: Equatable {
        var format: Int32?
        var hasKeyFrames = false
        var isPartial = false
    }

    private struct Entry {
        var forms: [Form]
        /// Nil if there cannot be one.
        var template: MultivariantTemplate?
    }

    private let entries = Mutex<[Entry]>([])

    /// The template of renditions; it is made if it is not there.
    func template(_ forms: [Form], _ make: () -> MultivariantTemplate?) -> MultivariantTemplate? {
        entries.withLock { entries in
            if let known = entries.first(where: { $0.forms == forms }) { return known.template }
            if entries.count >= Limits.templatesPerBlockIndex { entries.removeAll() }
            let made = make()
            entries.append(Entry(forms: forms, template: made))
            return made
        }
    }
}

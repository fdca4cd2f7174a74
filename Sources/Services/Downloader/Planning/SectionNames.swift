/// The names of initialization sections in the folder of a rendition: one for each that the source lists.
struct SectionNames: Sendable {
    private var names: [PartInitSection: String] = [:]
    private var used: Set<String>

    init(kept: some Sequence<String> = []) {
        used = Set(kept)
    }

    /// The name of a section; `known` is the one that a segment has already for it.
    mutating func name(for section: PartInitSection, known: String?) -> String {
        let name = known ?? names[section] ?? newName()
        names[section] = name
        used.insert(name)
        return name
    }

    /// Gives sections that are listed from now on other names, so that they are fetched again.
    ///
    /// An encoder that starts again may overwrite its section, which then has the same URL.
    mutating func beginAgain() {
        names = [:]
    }

    private func newName() -> String {
        var number = used.count + 1
        while used.contains("init-\(number).mp4") { number += 1 }
        return "init-\(number).mp4"
    }
}

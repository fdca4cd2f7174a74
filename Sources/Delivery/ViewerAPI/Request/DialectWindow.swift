import HTTP

/// A window in the name of a file, as the players of other servers build it.
///
/// It is turned into parameters of this API and answered like these.
struct DialectWindow: Equatable {
    /// The parameters, as they are in the name.
    var items: [QueryItems.Item]
    /// Whether the playlist grows until its end is reached, unless the query says otherwise.
    var grows = false
    /// Whether the name asks for everything from an instant on, without an end.
    var isEndless = false

    /// What follows the prefix of a name.
    private enum Form {
        /// `{utc}-{duration}` or `{utc}-now`.
        case window
        /// One value for each of these parameters.
        case values([String])
    }

    /// The names of Flussonic, then those of Nimble Streamer.
    private static let names:
        [(prefix: String, form: Form, playlist: WindowRoute.Resource, stream: WindowRoute.Resource?)] = [
            ("index-timeshift_rel-", .values(["timeshift"]), .index, .endlessStream),
            ("video-timeshift_rel-", .values(["timeshift"]), .single, .endlessStream),
            ("mono-timeshift_rel-", .values(["timeshift"]), .single, .endlessStream),
            ("index-timeshift_abs-", .values(["utc"]), .since, .endlessStream),
            ("video-timeshift_abs-", .values(["utc"]), .since, .endlessStream),
            ("mono-timeshift_abs-", .values(["utc"]), .since, .endlessStream),
            ("archive-", .window, .index, .transportStream),
            ("index-", .window, .index, .transportStream),
            ("video-", .window, .single, .transportStream),
            ("mono-", .window, .single, .transportStream),
            ("timeshift_rel-", .values(["timeshift"]), .index, .endlessStream),
            ("timeshift_abs-", .values(["utc"]), .since, .endlessStream),
            ("rewind-", .values(["dvr"]), .index, nil),
            // A stream needs one start: the value is its delay.
            ("rewind-", .values(["timeshift"]), .index, .endlessStream),
            ("playlist_dvr_range-", .window, .index, nil),
            ("playlist_dvr_timeshift-", .values(["delay", "dvr"]), .index, nil),
        ]

    /// The resource and the window that a file name says; nil if it has another form.
    ///
    /// Values are read with the query: one that is missing is empty.
    static func reading(_ file: Substring) -> (WindowRoute.Resource, DialectWindow)? {
        let isStream = file.hasSuffix(".ts")
        guard isStream || file.hasSuffix(".m3u8"),
            let name = names.first(where: { file.hasPrefix($0.prefix) && ($0.stream != nil || !isStream) })
        else { return nil }
        let text = file.dropFirst(name.prefix.count).dropLast(isStream ? 3 : 5)
        let resource = isStream ? name.stream ?? name.playlist : name.playlist
        switch name.form {
        case .window:
            let (utc, duration) = parts(text, at: text.lastIndex(of: "-"))
            if duration == "now" { return (resource, DialectWindow(["utc": utc], grows: !isStream)) }
            return (resource, DialectWindow(["utc": utc, "duration": duration]))
        case .values(let parameters):
            guard parameters.count > 1 else {
                return (resource, DialectWindow([parameters[0]: text], isEndless: parameters[0] == "utc"))
            }
            let (first, second) = parts(text, at: text.firstIndex(of: "-"))
            return (resource, DialectWindow([parameters[0]: first, parameters[1]: second]))
        }
    }

    /// Values may be percent-encoded; a value that cannot be decoded is kept, and refused when it is read.
    private init(
        _ values: KeyValuePairs<String, Substring>, grows: Bool = false, isEndless: Bool = false,
    ) {
        items = values.map {
            .init(name: $0.key, value: PercentEncoding.decoded($0.value) ?? String($0.value))
        }
        (self.grows, self.isEndless) = (grows, isEndless)
    }

    private static func parts(_ text: Substring, at dash: Substring.Index?) -> (Substring, Substring) {
        guard let dash else { return (text, "") }
        return (text[..<dash], text[text.index(after: dash)...])
    }
}

/// What the arguments of ffmpeg say of its inputs.
///
/// An option before `-i` holds for that input alone.
package enum FFmpegInputs {
    /// The value of an option for each input; nil where it has none.
    package static func values(of option: String, in arguments: [String]) -> [String?] {
        var (values, value): ([String?], String?) = ([], nil)
        for (argument, next) in zip(arguments, arguments.dropFirst()) {
            if argument == option { value = next }
            guard argument == "-i" else { continue }
            values.append(value)
            value = nil
        }
        return values
    }
}

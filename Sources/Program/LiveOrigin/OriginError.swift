/// Why the origin cannot continue; a retry does not help.
enum OriginError: Error, Equatable, CustomStringConvertible {
    case cannotWrite(path: String)
    case cannotRead(path: String)
    case encoderFailed(status: Int32)
    case encoderMadeTooLittle(rendition: String, segments: Int, wanted: Int)

    var description: String {
        switch self {
        case .cannotWrite(let path): "\(path) cannot be written"
        case .cannotRead(let path): "\(path) cannot be read"
        case .encoderFailed(let status): "ffmpeg ended with status \(status); its messages are above"
        case .encoderMadeTooLittle(let rendition, let segments, let wanted):
            "ffmpeg made \(segments) segments of \(rendition), expected \(wanted)"
        }
    }
}

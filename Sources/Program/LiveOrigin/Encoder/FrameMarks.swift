/// Paints the number of each frame into the picture, so that a player's page can tell which frame it shows.
///
/// The marks are squares along the lower edge, each a twentieth of the width: a white one, a black one, then
/// the bits of the number from the lowest on, white for 1.
enum FrameMarks {
    private static let bits = 12

    /// The part of a filter graph that paints them, with a comma at its end.
    static var filter: String {
        let bits = (0..<bits).map { bit in
            square(2 + bit, "white") + ":enable='mod(floor(n/\(1 << bit)),2)',"
        }
        return "drawbox=x=0:y=ih-iw/20:w=iw:h=iw/20:color=black:t=fill," + square(0, "white") + ","
            + bits.joined()
    }

    private static func square(_ index: Int, _ color: String) -> String {
        "drawbox=x=iw*\(index)/20:y=ih-iw/20:w=iw/20:h=iw/20:color=\(color):t=fill"
    }
}

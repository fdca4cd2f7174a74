import Catalogue
import Timeline

/// A guide as XMLTV that has the channels.
enum GuideText {
    static func text(_ channels: [ListedChannel]) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE tv SYSTEM "xmltv.dtd">
            <tv generator-info-name="Backcast">

            """
        for listed in channels {
            let settings = listed.channel.settings
            text += "  <channel id=\"\(listed.id)\">\n"
            text += "    <display-name>\(escaped(settings.title))</display-name>\n"
            if let logo = settings.logo { text += "    <icon src=\"\(escaped(logo))\"/>\n" }
            text += "  </channel>\n"
        }
        return text + "</tv>\n"
    }

    /// A text in content and in attributes; characters that XML 1.0 does not have are left out (§2.2).
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": break
            default: if scalar.value >= 0x20 { escaped.unicodeScalars.append(scalar) }
            }
        }
    }
}

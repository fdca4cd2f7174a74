/// Names of the Prometheus data model.
enum MetricName {
    /// A metric name, `[a-zA-Z_:][a-zA-Z0-9_:]*`; every other character becomes "_".
    static func metric(_ text: String) -> String {
        sanitised(text, allowsColon: true)
    }

    /// The name of a counter: sanitised, with the suffix `_total`.
    static func counter(_ text: String) -> String {
        let name = metric(text)
        return name.hasSuffix("_total") ? name : name + "_total"
    }

    /// A label name, `[a-zA-Z_][a-zA-Z0-9_]*`, except those that the format itself uses.
    static func label(_ text: String) -> String {
        let name = sanitised(text, allowsColon: false)
        return name == "le" || name == "quantile" || name.hasPrefix("__") ? "exported_" + name : name
    }

    private static func sanitised(_ text: String, allowsColon: Bool) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            name.unicodeScalars.append(isAllowed(scalar, allowsColon: allowsColon) ? scalar : "_")
        }
        guard let first = name.unicodeScalars.first else { return "_" }
        return ("0"..."9").contains(first) ? "_" + name : name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, allowsColon: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        case ":": allowsColon
        default: false
        }
    }
}

#pragma once

#include <span>
#include <string_view>

namespace jobstrand::service {

/// A file of the page (tools/page), as its build has made it.
struct PageFile {
    std::string_view name;  ///< `page.js`
    std::string_view media_type;
    std::string_view bytes;
    std::string_view gzipped;
};

/// Empty: this program was built without the page.
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace jobstrand::service

#pragma once

#include <sys/types.h>

namespace jobstrand::persistence {

/// Who can get at a file that holds a secret.
struct SecretFile {
    uid_t owner = 0;
    mode_t mode = 0;

    /// It lies in a mount that is read-only, or in one of its own (the file or its folder) in which
    /// this process can write nothing: the ways in which containers are given secrets.
    bool is_handed_in = false;
};

/// Whether it can be used, by the rule of PostgreSQL's clients: of a file of root the group may
/// read, of any other nobody but its owner may do anything. Of one of root that is handed in
/// everybody may read, since nobody else is in the container. Nobody but the owner may ever write.
[[nodiscard]] bool is_kept_secret(const SecretFile& file);

/// Of an open file, not of its name, which may lead elsewhere by now. Throws std::system_error.
[[nodiscard]] SecretFile look_at_secret(int descriptor);

}  // namespace jobstrand::persistence

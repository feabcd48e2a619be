#pragma once

#include <string>

#include <talus/exchange/fclib.hpp>
#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::exchange {

/// Reads group fclib_local with its bilateral part (Acary et al. 2014, key `acary_2014`):
///
///   Vᵀ r + R λ + s = 0,   u = W r + V λ + q,
/// as W = [R Vᵀ; V W], b = (s, q): V (dm×p), R (p×p), vectors/s beside the datasets of read_fclib.
/// A file without V and R has no constraints. The problem is validated. Errors: InputError with
/// file, place in the file, what was found and what is allowed.
[[nodiscard]] problem::BilateralContact read_fclib_bilateral(const std::string& file);

/// Writes the same. The coupling is stored once, as V = W_ce: a problem whose W_ec differs from its
/// transpose by more than round-off (1e-9 √(W_ii W_jj)) throws InputError. Read again, every other
/// number is the same bit for bit.
void write_fclib(const std::string& file, const problem::BilateralContact& problem,
                 const std::string& title = "",
                 MatrixStorage storage = MatrixStorage::compressed_column);

/// Reads group fclib_global with its bilateral part,
///
///   M v = H r + G λ + f,   Gᵀ v + b = 0,   u = Hᵀ v + w:
/// G (n×p) and vectors/b (p) beside the datasets of read_fclib. Errors: as above.
[[nodiscard]] problem::GlobalBilateralContact read_fclib_global_bilateral(const std::string& file);

/// Writes the same; read again, every number is the same bit for bit.
void write_fclib(const std::string& file, const problem::GlobalBilateralContact& problem,
                 const std::string& title = "",
                 MatrixStorage storage = MatrixStorage::compressed_column);

/// Reads contacts with rolling resistance, group fclib_local_rolling: spacedim (5), W, vectors/q,
/// vectors/mu, vectors/mu_r, all as in fclib_local, rows (N, T1, T2, R1, R2).
///
/// FCLIB's published description has no local form with rolling; this one follows its local form,
/// with the names of the global one. A bilateral part (V, R) is refused. Errors: as above.
[[nodiscard]] problem::RollingFrictionContact read_fclib_rolling(const std::string& file);

/// Writes the same; read again, every number is the same bit for bit.
void write_fclib(const std::string& file, const problem::RollingFrictionContact& problem,
                 const std::string& title = "",
                 MatrixStorage storage = MatrixStorage::compressed_column);

/// Reads the global form of the same, group fclib_global_rolling (FCLIB 3, as Siconos writes it):
/// spacedim (5), M, H, vectors/f, vectors/w, vectors/mu, vectors/mu_r. A bilateral part (G) is
/// refused. Errors: as above.
[[nodiscard]] problem::GlobalRollingFrictionContact read_fclib_global_rolling(
    const std::string& file);

/// Writes the same; read again, every number is the same bit for bit.
void write_fclib(const std::string& file, const problem::GlobalRollingFrictionContact& problem,
                 const std::string& title = "",
                 MatrixStorage storage = MatrixStorage::compressed_column);

}  // namespace talus::exchange

#pragma once

#include <functional>
#include <memory>
#include <string>

#include <talus/view/record_source.hpp>

namespace talus::view {

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< address to listen on
  int port = 0;                    ///< 0: any that is free
  /// What every request must bring as ?token=…; empty: nothing. Where it is empty only requests for
  /// this machine are answered, so that no page of another site can reach the record by a name.
  std::string token;
};

/// Pictures that the page is asked to make: it asks for the job, and posts each when it is drawn.
struct PictureJob {
  std::string description;  ///< JSON, as viewer/src/job.ts reads it
  std::function<void(int index, const std::string& png)> take_picture;
  std::function<void(const std::string& message)> fail;
};

/// The page and a record over HTTP. Serves these paths and no others: / (the page), /api/header,
/// /api/progress, /api/rows, /api/series, with a job /api/job, /api/picture and /api/failure, and
/// with a run that can be steered /api/run. A request with ?run=… for another run than the record's
/// (RecordSource::run) is answered 409. A mistake is answered with a status and a JSON object
/// {"error": …}.
class Server {
 public:
  /// @param page content of the built page.
  Server(RecordSource& source, std::string page, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// One more record, for pages that ask with ?record=1 (and 2, …); the first has number 0.
  void add_record(RecordSource& source);
  void set_job(PictureJob job);
  /// The record is of a run that takes commands: lines of run_command.hpp, of which each that makes
  /// sense is handed on.
  void set_steering(std::function<void(const std::string& line)> steer);
  /// What the page is told where the record cannot be read, in place of the reader's message: why a
  /// run that was to make the record has failed. Asked at every such failure; may return "".
  void set_explanation(std::function<std::string()> explanation);
  /// Takes the port, for itself alone. @throws InputError if that is not possible, as when another
  /// program listens there.
  /// @return the port.
  int bind();
  /// Where the page is found: an address that other machines can open where it listens on all.
  [[nodiscard]] std::string address() const;
  /// Answers until stop() is called from another thread.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A token that cannot be guessed: 32 hexadecimal digits from the system.
[[nodiscard]] std::string make_token();

/// Whether an address can be reached from this machine only.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace talus::view
